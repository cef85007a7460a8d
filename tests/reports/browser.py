"""A real headless Chromium, and what it can tell of a page that people are given."""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

DRIVER = Path("/usr/bin/chromedriver")
CHROMIUM = Path("/usr/bin/chromium")
PHONE = (360, 740)
DESKTOP = (1280, 900)

_OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

# For each shown text node: its colour and the ground behind it, with what is transparent laid over what is below.
_CONTRASTS = """
const parse = text => {
  const canvas = parse.canvas ??= new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
  canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
  return [r, g, b, a / 255];
};
const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
const luminance = color => [0.2126, 0.7152, 0.0722].reduce((sum, weight, i) => {
  const c = color[i] / 255;
  return sum + weight * (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
}, 0);
const ground = element => {
  const layers = [];
  for (let at = element; at; at = at.parentElement) layers.push(parse(getComputedStyle(at).backgroundColor));
  return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255, 1]);
};
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const rows = [];
while (walker.nextNode()) {
  const node = walker.currentNode, element = node.parentElement;
  if (!node.data.trim() || !element.checkVisibility({checkOpacity: true})) continue;
  const back = ground(element), front = over(parse(getComputedStyle(element).color), back);
  const [light, dark] = [luminance(front), luminance(back)].sort((a, b) => b - a);
  rows.push([node.data.trim().slice(0, 60), (light + 0.05) / (dark + 0.05), luminance(front), luminance(back)]);
}
return rows;
"""


@dataclass(frozen=True)
class Contrast:
    """A shown text and its contrast with what is behind it; ``front`` and ``back`` are relative luminances from 0 to 1."""

    text: str
    ratio: float
    front: float
    back: float


class Browser:
    """Opens a page from disk and answers questions about it."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self._driver = driver
        self._address = ""

    def open(self, page: Path, *, size: tuple[int, int] = DESKTOP, dark: bool = False, media: str = "screen") -> None:
        self.resize(*size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._command("Emulation.setEmulatedMedia", {"media": media, "features": [scheme]})
        self._driver.get("about:blank")
        self._driver.get_log("performance")  # type: ignore[no-untyped-call] # drops what earlier pages left
        self._address = page.as_uri()
        self._driver.get(self._address)

    def resize(self, width: int, height: int) -> None:
        """Gives the page as much room, in CSS pixels; a narrow one is a phone's."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self._command("Emulation.setDeviceMetricsOverride", metrics)

    def run(self, script: str, *values: Any) -> Any:
        """The value of a script with ``return``, run as the developer tools run one: the policy of the page does not bind it."""
        return self._driver.execute_script(script, *values)

    def contrasts(self) -> list[Contrast]:
        return [Contrast(*row) for row in self.run(_CONTRASTS)]

    def requests(self) -> list[str]:
        """The addresses that the page asked for, its own first. The browser's own pages may still load something, too."""
        events = [json.loads(entry["message"])["message"] for entry in self._driver.get_log("performance")]  # type: ignore[no-untyped-call]
        sent = [event["params"] for event in events if event["method"] == "Network.requestWillBeSent"]
        return [one["request"]["url"] for one in sent if one["documentURL"].partition("#")[0] == self._address]

    def console(self) -> list[str]:
        """What the console shows, with the complaints of the content security policy."""
        return [entry["message"] for entry in self._driver.get_log("browser")]  # type: ignore[no-untyped-call]

    def press(self, *keys: str) -> None:
        webdriver.ActionChains(self._driver).send_keys(*keys).perform()

    def screenshot(self, *, whole: bool = True) -> bytes:
        reply = self._command("Page.captureScreenshot", {"captureBeyondViewport": whole})
        return base64.b64decode(reply["data"])

    def _command(self, name: str, values: dict[str, Any]) -> dict[str, Any]:
        reply: dict[str, Any] = self._driver.execute_cdp_cmd(name, values)
        return reply


@contextmanager
def chromium(profile: Path) -> Iterator[Browser]:
    """A browser whose profile is a new folder. Without Chromium this fails: a page that nobody opened is not tested."""
    missing = [str(path) for path in (CHROMIUM, DRIVER) if not path.exists()]
    if missing:
        raise RuntimeError(
            f"{' and '.join(missing)} not found: the pages are tested in a real browser. "
            "Install it: apt-get install -y --no-install-recommends chromium chromium-driver"
        )
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for option in (*_OPTIONS, f"--user-data-dir={profile}"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
    try:
        yield Browser(driver)
    finally:
        driver.quit()

"""Key-shaped values are taken out, code is not. The samples are put together here, so that no scanner takes them for real."""

import time
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kodus_check.agent.redact import redact

B64 = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA"
HEX = "0123456789abcdef0123456789abcdef"
BEGIN, END = "-----BEGIN {}PRIVATE " + "KEY-----", "-----END {}PRIVATE " + "KEY-----"
LINE = B64 + B64
"""A line of an encoded key."""


def marked(kind: str) -> str:
    return f"\u2039redacted:{kind}\u203a"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("AKIA" + "ABCDEFGH234567AB", "aws"),
        ("gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", "github"),
        ("github" + "_pat_" + B64 + B64, "github"),
        ("gl" + "pat-" + B64, "gitlab"),
        ("gl" + "pat-" + B64 + ".01.0w1a2b3c4", "gitlab"),
        ("xo" + "xb-" + "123456789012-" + B64, "slack"),
        ("hooks.slack" + ".com/services/T00000000/B00000000/" + B64, "slack"),
        ("sk-" + "ant-" + B64, "anthropic"),
        ("sk-" + "proj-" + B64, "openai"),
        ("sk-" + B64 + B64, "openai"),
        ("sk-" + HEX, "openai"),
        ("sk-" + "or-v1-" + HEX + HEX, "openai"),
        ("sk" + "_live_" + B64, "stripe"),
        ("rk" + "_test_" + B64, "stripe"),
        ("AI" + "za" + (B64 + B64)[:35], "google"),
        ("np" + "m_" + (B64 + B64)[:36], "npm"),
        ("py" + "pi-" + B64 + B64, "pypi"),
        ("S" + "G." + B64[:22] + "." + B64, "sendgrid"),
        ("S" + "K" + HEX, "twilio"),
        ("ey" + "J" + B64 + ".ey" + "J" + B64 + "." + B64, "jwt"),
    ],
)
def test_keys(text: str, kind: str) -> None:
    assert redact(f"before {text} after") == (f"before {marked(kind)} after", 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f'api_key = "{B64}"', f'api_key = "{marked("secret")}"'),
        ("DB_PASSWORD: 'x9$Kq2!mZ7@pL4&w'", f"DB_PASSWORD: '{marked('secret')}'"),
        (f'{{"clientSecret": "{B64}", "a": 1}}', f'{{"clientSecret": "{marked("secret")}", "a": 1}}'),
        (f"'token' => '{B64}',", f"'token' => '{marked('secret')}',"),
        (f'token := "{B64}"', f'token := "{marked("secret")}"'),
        (f'const apiKey: string = "{B64}";', f'const apiKey: string = "{marked("secret")}";'),
        (f'os.environ["API_TOKEN"] = "{B64}"', f'os.environ["API_TOKEN"] = "{marked("secret")}"'),
        (f'SECRET_KEY = "{HEX}"', f'SECRET_KEY = "{marked("secret")}"'),
        (f"export API_TOKEN={B64}\nx", f"export API_TOKEN={marked('secret')}\nx"),
        (f"  api_key: {B64}\r\n", f"  api_key: {marked('secret')}\r\n"),
        ("aws_secret_access_key = wJa1rXUtn" + "FEMI/K7MDENG/bPxRf1CY0zAb3dE", f"aws_secret_access_key = {marked('secret')}"),
        ("postgres://admin:" + "Tr0ub4dor" + "@db/x", f"postgres://admin:{marked('url-password')}@db/x"),
        ("redis://:" + "Tr0ub4dor" + "@db/0", f"redis://:{marked('url-password')}@db/0"),
    ],
)
def test_assigned_values_and_passwords_in_addresses(text: str, expected: str) -> None:
    assert redact(text) == (expected, 1)


@pytest.mark.parametrize("kind", ["", "RSA ", "EC ", "ENCRYPTED ", "OPENSSH "])
def test_a_private_key(kind: str) -> None:
    """T1."""
    text = f"a\n{BEGIN.format(kind)}\n{LINE}\n{LINE}\naB3=\n{END.format(kind)}\nb\n"
    mark = marked("private-key")
    assert redact(text) == (f"a\n{BEGIN.format(kind)}\n{mark}\n{mark}\n{mark}\n{END.format(kind)}\nb\n", 1)


@pytest.mark.parametrize(
    ("lines", "left"),
    [
        # In a diff, where each removed line has a hyphen of its own, and in a listing.
        (["12-{begin}", "13-{key}", "14-{key}", "15-{end}"], ["12-{begin}", "13-{mark}", "14-{mark}", "15-{end}"]),
        (["    1 | {begin}", "    2 | {key}", "    3 | {end}"], ["    1 | {begin}", "    2 | {mark}", "    3 | {end}"]),
        # With headers, which hold hyphens too.
        (
            ["{begin}", "Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,AB", "", "{key}", "{key}", "{end}"],
            ["{begin}", "Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,AB", "", "{mark}", "{mark}", "{end}"],
        ),
        # Without an end: what is no key stays.
        (["{begin}", "{key}", "def f(x): return x", "{key}"], ["{begin}", "{mark}", "def f(x): return x", "{key}"]),
        (
            ["{begin}", "DEK-Info: AES-128-CBC,AB", "", "{key}", "x = 1"],
            ["{begin}", "DEK-Info: AES-128-CBC,AB", "", "{mark}", "x = 1"],
        ),
        (["12+{begin}", "13+{key}"], ["12+{begin}", "13+{mark}"]),
        # On one line, as JSON holds it, and as a list of strings.
        (['"key": "{begin}\\n{key}\\n{end}\\n"'], ['"key": "{begin}\\{mark}\\n{end}\\n"']),
        (['k = ("{begin}\\n"', '  "{key}\\n"', '  "{end}")'], ['k = ("{begin}\\n"', '  "{mark}\\n"', '  "{end}")']),
        # Two keys are two.
        (["{begin}", "{key}", "{end}", "{begin}", "{key}", "{end}"], ["{begin}", "{mark}", "{end}", "{begin}", "{mark}", "{end}"]),
    ],
)
def test_private_keys_wherever_they_stand(lines: list[str], left: list[str]) -> None:
    """T1."""
    names = {"{begin}": BEGIN.format("RSA "), "{end}": END.format("RSA "), "{key}": LINE, "{mark}": marked("private-key")}

    def filled(parts: list[str]) -> str:
        text = "\n".join(parts)
        for name, value in names.items():
            text = text.replace(name, value)
        return text

    assert redact(filled(lines)) == (filled(left), sum("{begin}" in line for line in lines))


@pytest.mark.parametrize(
    "text",
    [
        f"commit {HEX}01234567",
        f"sha256:{HEX}{HEX}",
        f'token_hash = "{HEX}"',
        f"integrity sha512-{B64}{B64}==",
        "id = '123e4567-e89b-12d3-a456-426614174000'",
        "token = '123e4567-e89b-12d3-a456-426614174000'",
        'password = "changeme-changeme-1A"',
        'token = "${SECRET_TOKEN_FROM_ENV1}"',
        'token = f"{token}-{OTHER_1}-abcdef"',
        "password = os.environ['DATABASE_PASSWORD_1']",
        "token = AccessTokenV2ResponseFactory",
        "token = self.make_token(Kind.B64, 3)",
        'secret_name = "my-application-secret-name"',
        "https://example.org/path?token=abc",
        "https://user:password@example.org/",
        "https://user:${PASSWORD}@example.org/",
        "http://localhost:8080/@scope/package",
        '"http://localhost:8080","a@b.example"',
        "class TokenBucketRateLimiterFactoryBean:",
        'tokens = ["begin", "end"]',
        "sk-learn is a library",
        ".sk-fading-circle-bounce-delay-before",
        f'if text.startswith("{BEGIN.format("RSA ")}"):\n    return a_long_name_of_a_function(text)',
        f'A = "{BEGIN.format("")}"\nwrite_all(A, B)\n  aVeryLongNameOfAFunction()\nand_more(1, 2, 3)\nB = "{END.format("")}"',
        f"-----BEGIN CERTIFICATE-----\n{LINE}\n-----END CERTIFICATE-----",
    ],
)
def test_code_is_left_alone(text: str) -> None:
    assert redact(text) == (text, 0)


def test_nothing_of_our_own_code_is_taken_out() -> None:
    files = sorted((Path(__file__).parents[2] / "kodus_check").rglob("*.py"))
    assert len(files) > 50
    assert [path.name for path in files if redact(path.read_text(encoding="utf-8"))[1]] == []


@pytest.mark.parametrize(
    "part",
    [
        "a", "a.", "token", "token=", BEGIN.format(""), BEGIN.format("") + "\n", "sk-", "sk-a", "eyJ", "eyJaaaaaaaaaaa.", "://a:",
        "x://a:", "secret='", "password: str", "gh" + "p_", "S" + "G.aaaaaaaaaaaaaaaaa", "gl" + "pat-", "xo" + "xb-",
    ],
)  # fmt: skip
def test_no_text_is_slow(part: str) -> None:
    """T2: the worst of these takes a third of a second; one that backtracks would take minutes."""
    text = part * (200_000 // len(part))
    start = time.perf_counter()
    redact(text)
    assert time.perf_counter() - start < 10


KEYS = st.sampled_from(
    [
        BEGIN.format("RSA "), END.format("RSA "), LINE, "AKIA" + "ABCDEFGH234567AB", f'token = "{B64}"', f"secret: {B64}",
        "redis://:" + "Tr0ub4dor" + "@db/0", "sk-" + B64, "12-", "   3 | ", "\n", "\n", "\r\n", '"', " ", "x = 1",
    ]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(KEYS | st.text(alphabet="abAB01 _-='\":/@.\nsk-ghpAKIAeyJ\u2039\u203a", max_size=30), max_size=12).map("".join))
@example(f"{BEGIN.format('')}\n{LINE}\n{BEGIN.format('')}\n{LINE}\n")
def test_lines_are_kept_and_twice_changes_nothing(text: str) -> None:
    once, found = redact(text)
    assert once.count("\n") == text.count("\n")
    assert redact(once) == (once, 0)
    assert (found == 0) == (once == text)

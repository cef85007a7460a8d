"""Models by name (``provider:model``): which there are, which key one needs, and a client for it. Nothing is imported before that.

Keys come from the environment alone; no key is ever part of a message, a file or a log.
"""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kodus_check.errors import UsageError

if TYPE_CHECKING:
    from pydantic_ai.models import Model

REQUEST_SECONDS = 300.0
_NO_KEY_NEEDED = "none"


@dataclass(frozen=True, slots=True)
class Provider:
    """``key`` and ``address`` are the variables that hold its key and another base URL; ``extra`` what must be installed."""

    name: str
    key: str
    address: str = ""
    extra: str = ""


PROVIDERS = {
    one.name: one
    for one in (
        Provider("openai", "OPENAI_API_KEY", "OPENAI_BASE_URL"),
        Provider("openai-chat", "OPENAI_API_KEY", "OPENAI_BASE_URL"),
        Provider("anthropic", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"),
        Provider("google", "GOOGLE_API_KEY", extra="google"),
        Provider("bedrock", "AWS_ACCESS_KEY_ID", extra="bedrock"),
    )
}


@dataclass(frozen=True, slots=True)
class ModelName:
    """A model as the configuration names it, with the base URL it sets ("" for the provider's own or the environment's)."""

    provider: Provider
    model: str
    base_url: str = ""

    def __str__(self) -> str:
        return f"{self.provider.name}:{self.model}"

    @classmethod
    def parse(cls, text: str, base_url: str = "", *, where: str = "") -> "ModelName":
        """The model that a text names; UsageError where it names none."""
        name, colon, model = text.partition(":")
        if name not in PROVIDERS or not colon or not model.strip():
            close = difflib.get_close_matches(name, PROVIDERS, n=1)
            hint = f"Did you mean `{close[0]}:…`?" if close else f"Providers are {', '.join(PROVIDERS)}."
            raise UsageError(f"`{text}` names no model: write provider:model", where=where or None, remedy=hint)
        if base_url and not base_url.startswith(("https://", "http://")):
            raise UsageError(f"`{base_url}` is no base URL", where=where or None, remedy="It starts with https:// or http://.")
        return cls(PROVIDERS[name], model.strip(), base_url)

    def address(self, environ: Mapping[str, str]) -> str:
        """The base URL that is asked; "" for the provider's own."""
        return self.base_url or (environ.get(self.provider.address, "") if self.provider.address else "")

    def missing_key(self, environ: Mapping[str, str]) -> str:
        """The variable whose key is needed and not there; "" where none is. A compatible server of one's own needs none."""
        if environ.get(self.provider.key) or (self.provider.name == "openai-chat" and self.address(environ)):
            return ""
        return self.provider.key


@dataclass(frozen=True, slots=True)
class Ask:
    """What asking needs beside the plan. ``connect`` makes the client of a model where that is not to be the usual one."""

    environ: Mapping[str, str]
    connect: Callable[[ModelName, Mapping[str, str]], "Model"] | None = None
    trace: Callable[[dict[str, Any]], None] = field(default=lambda event: None)


def connect(name: ModelName, environ: Mapping[str, str]) -> "Model":
    """A client for a model, without retries of its own: those are ours, and counted. UsageError where an extra is missing."""
    key = environ.get(name.provider.key) or _NO_KEY_NEEDED
    address = name.address(environ) or None
    try:
        if name.provider.name in ("openai", "openai-chat"):
            return _openai(name, key, address)
        if name.provider.name == "anthropic":
            return _anthropic(name, key, address)
        return _extra(name, key)
    except ImportError as error:
        extra = name.provider.extra or "agent"
        raise UsageError(
            f"the model `{name}` needs a package that is not installed ({error.name})",
            remedy=f"Install `kodus-check[{extra}]`.",
        ) from None


async def close(model: "Model") -> None:
    """Closes the connections of a client that :func:`connect` made, in the event loop that used them."""
    client = getattr(model, "client", None)
    if client is not None and hasattr(client, "close"):
        await client.close()


def _openai(name: ModelName, key: str, address: str | None) -> "Model":
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    client = AsyncOpenAI(api_key=key, base_url=address or "https://api.openai.com/v1", max_retries=0, timeout=REQUEST_SECONDS)
    provider = OpenAIProvider(openai_client=client)
    made = OpenAIResponsesModel if name.provider.name == "openai" else OpenAIChatModel
    return made(name.model, provider=provider)


def _anthropic(name: ModelName, key: str, address: str | None) -> "Model":
    from anthropic import AsyncAnthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    client = AsyncAnthropic(api_key=key, base_url=address or "https://api.anthropic.com", max_retries=0, timeout=REQUEST_SECONDS)
    return AnthropicModel(name.model, provider=AnthropicProvider(anthropic_client=client))


def _extra(name: ModelName, key: str) -> "Model":
    if name.provider.name == "google":
        from pydantic_ai.models.google import GoogleModel
        from pydantic_ai.providers.google import GoogleProvider

        return GoogleModel(name.model, provider=GoogleProvider(api_key=key))
    from pydantic_ai.models.bedrock import BedrockConverseModel

    return BedrockConverseModel(name.model)

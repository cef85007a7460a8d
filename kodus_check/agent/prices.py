"""What an answer costs: by the configuration's own prices, else by the price table that comes with the agent library."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars for a million tokens. All None: the table."""

    input: float | None = None
    cached_input: float | None = None
    output: float | None = None

    def cost(self, response: "ModelResponse") -> float | None:
        """What one answer costs; None where no price is known."""
        usage = response.usage
        if self.input is not None and self.output is not None:
            cached = self.cached_input if self.cached_input is not None else self.input
            uncached = max(0, usage.input_tokens - usage.cache_read_tokens)
            return (uncached * self.input + usage.cache_read_tokens * cached + usage.output_tokens * self.output) / _MILLION
        try:
            return float(response.cost().total_price)
        except (LookupError, ValueError, AssertionError):
            return None

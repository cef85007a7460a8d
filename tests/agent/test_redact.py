"""Key-shaped values are taken out, code is not. The samples are put together here, so that no scanner takes them for real."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kodus_check.agent.redact import redact

B64 = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA"
HEX = "0123456789abcdef0123456789abcdef"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("AKIA" + "ABCDEFGH234567AB", "aws"),
        ("gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", "github"),
        ("github" + "_pat_" + B64 + B64, "github"),
        ("gl" + "pat-" + B64, "gitlab"),
        ("xo" + "xb-" + "123456789012-" + B64, "slack"),
        ("sk-" + "ant-" + B64, "anthropic"),
        ("sk-" + "proj-" + B64, "openai"),
        ("sk" + "_live_" + B64, "stripe"),
        ("AI" + "za" + (B64 + B64)[:35], "google"),
        ("np" + "m_" + (B64 + B64)[:36], "npm"),
        ("py" + "pi-" + B64 + B64, "pypi"),
        ("S" + "G." + B64[:22] + "." + B64, "sendgrid"),
        ("ey" + "J" + B64 + ".ey" + "J" + B64 + "." + B64, "jwt"),
        ("postgres://admin:" + "Tr0ub4dor" + "@db/x", "password in an address"),
        ('api_key = "' + B64 + '"', "secret"),
        ("DB_PASSWORD: '" + "x9$Kq2!mZ7@pL4&w" + "'", "secret"),
        ("-----BEGIN RSA PRIVATE " + "KEY-----\n" + B64 + "\n" + B64 + "\n-----END RSA PRIVATE KEY-----", "private key"),
    ],
)
def test_keys(text: str, kind: str) -> None:
    redacted, found = redact(f"before {text} after")
    assert found == 1
    assert f"\u2039redacted: {kind}\u203a" in redacted
    assert B64 not in redacted
    assert redacted.startswith("before ")
    assert redacted.endswith(" after")
    assert redacted.count("\n") == text.count("\n")


@pytest.mark.parametrize(
    "text",
    [
        f"commit {HEX}01234567",
        f"sha256:{HEX}{HEX}",
        "id = '123e4567-e89b-12d3-a456-426614174000'",
        'password = "changeme-changeme-1A"',
        'token = "${SECRET_TOKEN_FROM_ENV1}"',
        "password = os.environ['DATABASE_PASSWORD_1']",
        'secret_name = "my-application-secret-name"',
        "https://example.org/path?token=abc",
        "class TokenBucketRateLimiterFactoryBean:",
        'tokens = ["begin", "end"]',
        "sk-learn is a library",
    ],
)
def test_code_is_left_alone(text: str) -> None:
    assert redact(text) == (text, 0)


def test_nothing_of_our_own_code_is_taken_out() -> None:
    files = sorted((Path(__file__).parents[2] / "kodus_check").rglob("*.py"))
    assert len(files) > 50
    assert [path.name for path in files if redact(path.read_text(encoding="utf-8"))[1]] == []


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="abAB01 _-='\":/@.\nsk-ghpAKIAeyJ", max_size=120))
def test_lines_are_kept_and_twice_changes_nothing(text: str) -> None:
    once, _ = redact(text)
    assert once.count("\n") == text.count("\n")
    assert redact(once) == (once, 0)

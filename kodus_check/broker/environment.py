"""The environment of the review, from a list: what is not named here does not pass.

T1  a runner hands a container action tokens of the job that the review has no use for (runtime, identity, cache)
T2  the review, or what it starts, writes the files by which a step sets variables, PATH or state of later steps
T3  the key of the vault opens every secret of the team
    -> none of them is on the list
T4  variables that steer a program: ``PYTHON*``, ``LD_*``, ``GIT_*``, ``NODE_OPTIONS``, ``INPUT_*``
    -> not on the list; PATH is the image's own, HOME and TMPDIR are folders made for this run
"""

from collections.abc import Mapping

MODEL_KEYS = frozenset(
    {
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_BASE_URL",
        "GOOGLE_API_KEY",
        "GEMINI_API_KEY",
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
        "AWS_BEARER_TOKEN_BEDROCK",
        "AWS_REGION",
        "AWS_DEFAULT_REGION",
    }
)
"""What asking a model takes: the keys and addresses of all providers, as ``agent.models`` names them."""

TOKENS = frozenset({"GITHUB_TOKEN", "GITLAB_TOKEN", "CI_JOB_TOKEN", "KODUS_CHECK_REMOTE_TOKEN"})
"""What reading from and publishing to the platform takes."""

GITHUB = frozenset(
    f"GITHUB_{name}"
    for name in (
        "ACTIONS", "ACTOR", "ACTOR_ID", "API_URL", "BASE_REF", "EVENT_NAME", "EVENT_PATH", "GRAPHQL_URL", "HEAD_REF", "JOB", "REF",
        "REF_NAME", "REF_PROTECTED", "REF_TYPE", "REPOSITORY", "REPOSITORY_ID", "REPOSITORY_OWNER", "RUN_ATTEMPT", "RUN_ID",
        "RUN_NUMBER", "SERVER_URL", "SHA", "TRIGGERING_ACTOR", "WORKFLOW", "WORKFLOW_REF", "WORKFLOW_SHA", "WORKSPACE",
    )
)  # fmt: skip

GITLAB = frozenset(
    f"CI_{name}"
    for name in (
        "API_GRAPHQL_URL", "API_V4_URL", "COMMIT_BRANCH", "COMMIT_REF_NAME", "COMMIT_SHA", "DEFAULT_BRANCH", "JOB_ID", "JOB_NAME",
        "JOB_URL", "MERGE_REQUEST_DIFF_BASE_SHA", "MERGE_REQUEST_DIFF_ID", "MERGE_REQUEST_EVENT_TYPE", "MERGE_REQUEST_IID",
        "MERGE_REQUEST_LABELS", "MERGE_REQUEST_PROJECT_ID", "MERGE_REQUEST_PROJECT_PATH", "MERGE_REQUEST_SOURCE_BRANCH_NAME",
        "MERGE_REQUEST_SOURCE_BRANCH_SHA", "MERGE_REQUEST_SOURCE_PROJECT_ID", "MERGE_REQUEST_SOURCE_PROJECT_PATH",
        "MERGE_REQUEST_TARGET_BRANCH_NAME", "MERGE_REQUEST_TARGET_BRANCH_SHA", "PIPELINE_ID", "PIPELINE_SOURCE", "PIPELINE_URL",
        "PROJECT_DIR", "PROJECT_ID", "PROJECT_PATH", "PROJECT_URL", "SERVER_URL",
    )
)  # fmt: skip

SURROUNDINGS = frozenset(
    {
        "CI", "GITLAB_CI", "GITLAB_USER_LOGIN", "KODUS_CHECK_REMOTE", "RUNNER_DEBUG",
        "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
        "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE",
        "COLUMNS", "FORCE_COLOR", "LANG", "LC_ALL", "NO_COLOR", "TERM", "TZ",
    }
)  # fmt: skip
"""Where the review runs: which CI, the way out of its network, the terminal."""

ALLOWED = MODEL_KEYS | TOKENS | GITHUB | GITLAB | SURROUNDINGS

REPLACED = frozenset({"PATH", "HOME", "TMPDIR", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"})
"""What the review reads too, and gets from the broker."""

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def review_environment(environ: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    """What the review gets of ``environ``, with ``own`` over it (T1 to T4). An empty variable is one that is not set."""
    merged = {"PATH": PATH, **{name: value for name, value in environ.items() if name in ALLOWED}, **own}
    return {name: value for name, value in merged.items() if value}

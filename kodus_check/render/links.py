"""Addresses of lines of the base, for people who want to read on."""

from urllib.parse import quote_from_bytes

from kodus_check.model import CitationEvidence, Review


def guide_link(review: Review, evidence: CitationEvidence) -> str:
    """The address of the cited lines at the base, as GitHub and GitLab write it; "" where it is not known."""
    if not review.blob_url or review.base is None or not evidence.in_repository:
        return ""
    path = quote_from_bytes(evidence.path.encode("utf-8", "surrogateescape"), safe="/")
    last = ""
    if evidence.end_line != evidence.start_line:
        last = f"-{evidence.end_line}" if "/-/blob/" in review.blob_url else f"-L{evidence.end_line}"
    return f"{review.blob_url}{review.base.sha}/{path}?plain=1#L{evidence.start_line}{last}"

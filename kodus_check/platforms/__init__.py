"""What a review is about, and where it is published: GitHub's events, comments and checks."""

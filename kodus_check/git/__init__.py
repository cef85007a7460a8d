"""Reading two commits of a workspace as verified data: nothing of the workspace's configuration has a say."""

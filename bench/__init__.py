"""Speed as ratios measured in one run (`make bench`): never asserted in tests, for other machines have other loads."""

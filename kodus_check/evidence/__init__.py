"""From a candidate to a finding or a drop. Nothing outside this package makes evidence."""

"""Skills and docs of the base: found, checked, counted and fitted into budgets. Nothing of head comes in here."""

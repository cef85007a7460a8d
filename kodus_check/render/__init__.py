"""From a Review to Markdown that people read on a pull request. Sees nothing but the Review and the templates handed in."""

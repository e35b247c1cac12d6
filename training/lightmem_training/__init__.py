"""What trains the weights that the product ships; it is no part of the product."""

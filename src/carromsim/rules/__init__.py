"""The laws of carrom: rule sets as data, and the referee who reads them."""

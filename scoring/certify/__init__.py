"""Learn-then-Test, the one implementation behind every certificate in the product.

Pure Python: a certificate is worked out from losses, whoever simulated or measured them.
"""

from scoring.certify.certificate import Certificate, Risk, certify
from scoring.certify.pvalues import binomial, binomial_cdf, hoeffding_bentkus, p_value
from scoring.certify.testing import bonferroni, both, fixed_sequence, share

__all__ = [
    "Certificate",
    "Risk",
    "binomial",
    "binomial_cdf",
    "bonferroni",
    "both",
    "certify",
    "fixed_sequence",
    "hoeffding_bentkus",
    "p_value",
    "share",
]

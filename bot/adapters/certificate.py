"""Signing certificates of Amazon SNS."""

from collections.abc import Callable

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey


def read_certificate(content: bytes) -> Callable[[bytes, bytes, str, float], bool] | None:
    """Says whether a signature is that of this certificate in PEM; None if it is not one, or its key is not RSA.

    It takes what was signed, the signature, its version ("1" is SHA-1, "2" is SHA-256) and the time in epoch seconds.
    """
    try:
        found = x509.load_pem_x509_certificate(content)
        key = found.public_key()
    except ValueError:
        return None
    if not isinstance(key, RSAPublicKey):
        return None

    def signed(content: bytes, signature: bytes, version: str, now: float) -> bool:
        if not found.not_valid_before_utc.timestamp() <= now <= found.not_valid_after_utc.timestamp():
            return False
        method = hashes.SHA256() if version == "2" else hashes.SHA1()  # noqa: S303 - SNS's own choice for version 1
        try:
            key.verify(signature, content, PKCS1v15(), method)
        except InvalidSignature:
            return False
        return True

    return signed

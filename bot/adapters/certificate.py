"""Signing certificates of Amazon SNS."""

from dataclasses import dataclass

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey


@dataclass(frozen=True, slots=True)
class RsaCertificate:
    """A signing certificate's key and validity (epoch seconds)."""

    key: RSAPublicKey
    begins: float
    ends: float

    def signed(self, content: bytes, signature: bytes, version: str) -> bool:
        """Whether `signature` is this key's for `content`; `version` "1" is SHA-1, "2" is SHA-256."""
        method = hashes.SHA256() if version == "2" else hashes.SHA1()  # noqa: S303 - SNS's own choice for version 1
        try:
            self.key.verify(signature, content, PKCS1v15(), method)
        except InvalidSignature:
            return False
        return True


def read_certificate(content: bytes) -> RsaCertificate | None:
    """The certificate in PEM; None if it is not one, or its key is not RSA."""
    try:
        found = x509.load_pem_x509_certificate(content)
        key = found.public_key()
    except ValueError:
        return None
    if not isinstance(key, RSAPublicKey):
        return None
    return RsaCertificate(key, found.not_valid_before_utc.timestamp(), found.not_valid_after_utc.timestamp())

"""Makes the golden tokens with PyJWT: a secret, public keys, a key set, and tokens.json, what each token is worth.

    python3 -m venv venv && venv/bin/pip install 'pyjwt[crypto]' && venv/bin/python make.py

It shares nothing with the server. The private keys are thrown away, so each run makes all files anew.
"""
import base64
import hashlib
import hmac
import json
import pathlib
import secrets

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

HERE = pathlib.Path(__file__).parent
NOW = 2_000_000_000  # the tests' clock, in seconds
CLAIMS = {"sub": "ann", "grants": {"lobby": "write", "team-*": "read"}, "exp": NOW + 3600}

secret = secrets.token_bytes(32)
keys = {
    "RS256": rsa.generate_private_key(public_exponent=65537, key_size=2048),
    "ES256": ec.generate_private_key(ec.SECP256R1()),
    "EdDSA": ed25519.Ed25519PrivateKey.generate(),
}
other = {
    "HS256": secrets.token_bytes(32),
    "RS256": rsa.generate_private_key(public_exponent=65537, key_size=2048),
    "ES256": ec.generate_private_key(ec.SECP256R1()),
    "EdDSA": ed25519.Ed25519PrivateKey.generate(),
}
files = {"HS256": "secret", "RS256": "rsa.pem", "ES256": "p256.pem", "EdDSA": "ed25519.pem"}
cases = []


def pem(key):
    return key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def by_hand(header, payload, key=secret):
    """A token that PyJWT refuses to make: HS256, whatever the header says."""
    payload = payload if isinstance(payload, bytes) else payload.encode()
    text = f"{b64(header.encode())}.{b64(payload)}"
    return f"{text}.{b64(hmac.new(key, text.encode(), hashlib.sha256).digest())}"


def case(title, token, file, outcome, **rules):
    cases.append({"title": title, "token": token, "file": file, "outcome": outcome, **rules})


def signed(algorithm, claims=None, headers=None, **changes):
    key = secret if algorithm == "HS256" else keys[algorithm]
    return jwt.encode({**(CLAIMS if claims is None else claims), **changes}, key, algorithm, headers)


HEADER = '{"alg":"HS256","typ":"JWT"}'
PAYLOAD = json.dumps(CLAIMS)
for algorithm, file in files.items():
    token = signed(algorithm)
    head, body, signature = token.split(".")
    case(f"{algorithm}: as PyJWT makes it", token, file, "ann")
    case(f"{algorithm}: by another key", jwt.encode(CLAIMS, other[algorithm], algorithm), file, "wrongSignature")
    case(f"{algorithm}: other claims under the same signature",
         f"{head}.{b64(json.dumps({**CLAIMS, 'sub': 'bob'}).encode())}.{signature}", file, "wrongSignature")
    flipped = bytearray(base64.urlsafe_b64decode(signature + "=="))
    flipped[5] ^= 1
    case(f"{algorithm}: one bit of the signature is another", f"{head}.{body}.{b64(flipped)}", file, "wrongSignature")
    case(f"{algorithm}: half of the signature", f"{head}.{body}.{b64(flipped[:len(flipped) // 2])}", file,
         "wrongSignature")
    case(f"{algorithm}: an empty signature", f"{head}.{body}.", file, "wrongSignature")
    case(f"{algorithm}: without the signature's part", f"{head}.{body}", file, "malformed")
    case(f"{algorithm}: none, without a signature", f"{b64(json.dumps({'alg': 'none'}).encode())}.{body}.", file,
         "noKey")
    for wrong in files:
        if wrong != algorithm:
            text = f"{b64(json.dumps({'alg': wrong, 'typ': 'JWT'}).encode())}.{body}"
            case(f"{algorithm}: the header says {wrong}", f"{text}.{signature}", file, "noKey")

for algorithm in ("RS256", "ES256", "EdDSA"):
    for name, public in (("PEM", pem(keys[algorithm])), ("PEM without its line end", pem(keys[algorithm]).strip())):
        case(f"{algorithm}: HS256 with the public key's {name} as the secret", by_hand(HEADER, PAYLOAD, public),
             files[algorithm], "noKey")
        head = json.dumps({"alg": algorithm, "typ": "JWT"})
        case(f"{algorithm}: an HMAC with the public key's {name}, called {algorithm}", by_hand(head, PAYLOAD, public),
             files[algorithm], "wrongSignature")
zeros = b64(bytes(64))
head = b64(json.dumps({"alg": "ES256"}).encode())
case("ES256: r and s are 0", f"{head}.{b64(PAYLOAD.encode())}.{zeros}", "p256.pem", "wrongSignature")

for spelling in ("None", "NONE", "nOnE", "", "hs256", "HS256 ", "HS384", "HS512", "PS256", "RS512", "ES384"):
    token = by_hand(json.dumps({"alg": spelling, "typ": "JWT"}), PAYLOAD)
    case(f"header: alg {spelling!r}", token, "secret", "noKey")
for title, header, outcome in (
    ("no alg", '{"typ":"JWT"}', "malformed"), ("alg is no string", '{"alg":256}', "malformed"),
    ("alg stands twice", '{"alg":"HS256","alg":"none"}', "malformed"),
    ("alg stands twice, once escaped", '{"alg":"HS256","\\u0061lg":"none"}', "malformed"),
    ("crit", '{"alg":"HS256","crit":["b64"],"b64":false}', "malformed"), ("an array", "[]", "malformed"),
    ("no JSON", "{", "malformed"), ("typ of something else", '{"alg":"HS256","typ":"secevent+jwt"}', "malformed"),
    ("typ in small letters", '{"alg":"HS256","typ":"jwt"}', "ann"), ("no typ", '{"alg":"HS256"}', "ann"),
    ("a key of its own", '{"alg":"HS256","jwk":{"kty":"oct","k":"AAAA"}}', "ann"),
    ("a kid although the file has no names", '{"alg":"HS256","kid":"../../etc/passwd"}', "ann"),
):
    case(f"header: {title}", by_hand(header, PAYLOAD), "secret", outcome)

good = by_hand(HEADER, PAYLOAD)
head, body, signature = good.split(".")
for title, token in (
    ("empty", ""), ("one dot", "."), ("two dots", ".."), ("four parts", good + ".AAAA"), ("padded", good + "="),
    ("a blank at the end", good + " "), ("a line end", good + "\n"), ("not ASCII", good + "é"),
    ("+ and /", f"{head}.{body}.{'+/' * 21}A"), ("a byte too few for base64", f"{head}.{body}.{signature[:41]}"),
    ("unused bits set", good[:-1] + chr(ord(good[-1]) + 1)), ("claims that are no base64", f"{head}.!!!.{signature}"),
    ("longer than 8192 bytes", by_hand(HEADER, json.dumps({**CLAIMS, "x": "x" * 8192}))),
    ("cut in the middle", good[: len(good) // 2]),
):
    case(f"text: {title}", token, "secret", "malformed")


def claims(title, outcome, payload=None, rules=None, **changes):
    changed = {key: value for key, value in {**CLAIMS, **changes}.items() if value is not ...}
    token = by_hand(HEADER, json.dumps(changed) if payload is None else payload)
    case(f"claims: {title}", token, "secret", outcome, **(rules or {}))


claims("no exp", "exp", exp=...)
claims("exp as a string", "exp", exp=str(NOW + 3600))
claims("exp with a fraction", "ann", exp=NOW + 0.5)
claims("exp with an exponent", "ann", payload=PAYLOAD.replace(str(NOW + 3600), "2.1e9"))
claims("exp out of all bounds", "exp", payload=PAYLOAD.replace(str(NOW + 3600), "1e300"))
claims("exp below 0", "expired", exp=-1)
claims("ended 59 s ago", "ann", exp=NOW - 59)
claims("ended 60 s ago", "expired", exp=NOW - 60)
claims("holds in 60 s", "ann", nbf=NOW + 60)
claims("holds in 61 s", "notYet", nbf=NOW + 61)
claims("no sub", "sub", sub=...)
claims("sub is a number", "sub", sub=7)
claims("sub is no user's name", "sub", sub="a\nb")
claims("sub of 65 bytes", "sub", sub="a" * 65)
claims("no grants", "grants", grants=...)
claims("grants of nothing", "ann", grants={})
claims("grants as an array", "grants", grants=["lobby"])
claims("a role that is none", "grants", grants={"lobby": "admin"})
claims("a pattern that is none", "grants", grants={"*-team": "read"})
claims("a claim stands twice", "malformed", payload=PAYLOAD[:-1] + ',"sub":"root"}')
claims("a grant stands twice", "malformed", payload=PAYLOAD.replace('{"lobby"', '{"lobby":"own","lobby"'))
claims("no JSON object", "malformed", payload="[]")
claims("no JSON", "malformed", payload="sub=ann")
claims("no UTF-8", "malformed", payload=PAYLOAD.encode().replace(b"ann", b"\xff"))
rules = {"issuer": "https://id.example", "audience": "diffroom"}
claims("issuer and audience as asked", "ann", rules=rules, iss="https://id.example", aud="diffroom")
claims("one audience of several", "ann", rules=rules, iss="https://id.example", aud=["a", "diffroom"])
claims("no issuer", "iss", rules=rules, aud="diffroom")
claims("another issuer", "iss", rules=rules, iss="https://id.example/", aud="diffroom")
claims("an issuer that is no string", "iss", iss=7)
claims("no audience", "aud", rules=rules, iss="https://id.example")
claims("another audience", "aud", rules=rules, iss="https://id.example", aud=["a", "b"])
claims("an audience that is no string", "aud", rules=rules, iss="https://id.example", aud=[7])
claims("an audience where none is asked for", "aud", aud="somebody else")

jwks = [
    {**RSAAlgorithm.to_jwk(keys["RS256"].public_key(), as_dict=True), "kid": "r", "use": "sig", "alg": "RS256"},
    {**ECAlgorithm.to_jwk(keys["ES256"].public_key(), as_dict=True), "kid": "e"},
    {**OKPAlgorithm.to_jwk(keys["EdDSA"].public_key(), as_dict=True), "kid": "d"},
    {"kty": "oct", "k": b64(secret), "kid": "h"},
    {**RSAAlgorithm.to_jwk(other["RS256"].public_key(), as_dict=True), "kid": "512", "alg": "RS512"},
    {**ECAlgorithm.to_jwk(ec.generate_private_key(ec.SECP384R1()).public_key(), as_dict=True), "kid": "p384"},
    {**RSAAlgorithm.to_jwk(other["RS256"].public_key(), as_dict=True), "kid": "enc", "use": "enc"},
    {**RSAAlgorithm.to_jwk(rsa.generate_private_key(public_exponent=65537, key_size=1024).public_key(), as_dict=True),
     "kid": "1024"},
    {"kty": "EC", "crv": "P-256", "x": b64(bytes(31) + b"\1"), "y": b64(bytes(31) + b"\1"), "kid": "off the curve"},
]
names = {"RS256": "r", "ES256": "e", "EdDSA": "d", "HS256": "h"}
for algorithm, name in names.items():
    case(f"key set: {algorithm} by its kid", signed(algorithm, headers={"kid": name}), "set.json", "ann")
    case(f"key set: {algorithm} without a kid", signed(algorithm), "set.json", "ann")
    case(f"key set: {algorithm} with another key's kid",
         signed(algorithm, headers={"kid": "r" if name != "r" else "e"}), "set.json", "noKey")
case("key set: a kid that is not there", signed("ES256", headers={"kid": "gone"}), "set.json", "noKey")
for kid in ("512", "enc", "1024", "p384"):
    token = jwt.encode(CLAIMS, other["RS256"], "RS256", {"kid": kid})
    case(f"key set: a key that is passed over, {kid}", token, "set.json", "noKey")

(HERE / "secret").write_bytes(secret)
for algorithm, key in keys.items():
    (HERE / files[algorithm]).write_bytes(pem(key))
(HERE / "set.json").write_text(json.dumps({"keys": jwks}, indent=1) + "\n")
(HERE / "tokens.json").write_text(json.dumps({"now": NOW * 1000, "cases": cases}, indent=1) + "\n")

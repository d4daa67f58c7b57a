import COpenSSL
import Synchronization

/// Makes TLS records that no library would send: any content, under the keys of a connection that OpenSSL has opened.
/// TLS 1.3 with AES-128-GCM and SHA-256.
package struct RecordForge {
    /// By open connection.
    private static let secrets = Mutex<[UInt: [UInt8]]>([:])

    private let key: [UInt8]
    private let start: [UInt8]
    private var number: UInt64

    /// The type of a record's content.
    package enum Content: UInt8 {
        case alert = 21
        case handshake = 22
        case data = 23
    }

    /// - Parameter number: the number of records that the client has sent since its handshake.
    init?(of tls: OpaquePointer?, after number: UInt64) {
        guard let secret = Self.secrets.withLock({ $0[UInt(bitPattern: tls)] }) else { return nil }
        key = Self.expand(secret, "key", 16)
        start = Self.expand(secret, "iv", 12)
        self.number = number
    }

    /// Keeps the keys of connections that are made from `context`.
    static func keepKeys(of context: OpaquePointer?) {
        SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256")
        SSL_CTX_set_keylog_callback(context) { tls, line in
            guard let line else { return }
            let words = String(cString: line).split(separator: " ")
            guard words.count == 3, words[0] == "CLIENT_TRAFFIC_SECRET_0" else { return }
            let digits = Array(words[2].utf8).map { UInt8($0 < 58 ? $0 - 48 : $0 - 87) }
            let secret = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
            RecordForge.secrets.withLock { $0[UInt(bitPattern: tls)] = secret }
        }
    }

    static func forgetKeys(of tls: OpaquePointer?) {
        secrets.withLock { $0[UInt(bitPattern: tls)] = nil }
    }

    /// The next record.
    package mutating func record(_ content: Content, _ payload: [UInt8] = []) -> [UInt8] {
        let plain = payload + [content.rawValue]
        let size = plain.count + 16
        let header: [UInt8] = [23, 3, 3, UInt8(size >> 8), UInt8(size & 0xFF)]
        var nonce = start
        for index in 0..<8 { nonce[4 + index] ^= UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64(index))) }
        number += 1
        return header + seal(plain, nonce, header)
    }

    private func seal(_ plain: [UInt8], _ nonce: [UInt8], _ header: [UInt8]) -> [UInt8] {
        let context = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(context) }
        var (sealed, tag) = ([UInt8](repeating: 0, count: plain.count), [UInt8](repeating: 0, count: 16))
        var count: Int32 = 0
        EVP_EncryptInit_ex(context, EVP_aes_128_gcm(), nil, key, nonce)
        EVP_EncryptUpdate(context, nil, &count, header, Int32(header.count))
        EVP_EncryptUpdate(context, &sealed, &count, plain, Int32(plain.count))
        EVP_EncryptFinal_ex(context, nil, &count)
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, &tag)
        return sealed + tag
    }

    /// HKDF-Expand-Label of RFC 8446, for at most 32 bytes.
    private static func expand(_ secret: [UInt8], _ label: String, _ count: Int) -> [UInt8] {
        let name = Array("tls13 \(label)".utf8)
        let info = [0, UInt8(count), UInt8(name.count)] + name + [0, 1]
        var (digest, length) = ([UInt8](repeating: 0, count: 32), UInt32(0))
        HMAC(EVP_sha256(), secret, Int32(secret.count), info, info.count, &digest, &length)
        return Array(digest.prefix(count))
    }
}

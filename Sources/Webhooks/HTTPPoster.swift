internal import CCurl

/// Posts to one address over HTTP, one request at a time, and keeps the connection for the next.
///
/// It verifies certificates, follows no redirects, ignores the bodies of answers, and gives up when the request's time
/// is over.
package final class HTTPPoster: @unchecked Sendable {
    // @unchecked: `curl` is used by one thread at a time, its owner's; see ``post(_:headers:)``.
    private let curl: UnsafeMutableRawPointer

    /// The outcome of a request.
    package enum Outcome: Equatable, Sendable {
        case answered(status: Int)
        /// There was no answer. The text says why, for a person to read.
        case failed(String)
    }

    /// - Parameter seconds: the time for a whole request.
    package init(url: String, seconds: Int) {
        guard Self.isReady, let curl = curl_easy_init() else { preconditionFailure("libcurl cannot start") }
        self.curl = curl
        let numbers: [(CURLoption, Int)] = [
            (CURLOPT_POST, 1), (CURLOPT_NOSIGNAL, 1), (CURLOPT_TIMEOUT, seconds), (CURLOPT_FOLLOWLOCATION, 0),
            (CURLOPT_PROTOCOLS, Int(CURLPROTO_HTTP | CURLPROTO_HTTPS)), (CURLOPT_SSL_VERIFYPEER, 1),
            (CURLOPT_SSL_VERIFYHOST, 2), (CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
        ]
        for (option, value) in numbers { Self.require(ccurl_set_number(curl, option, value)) }
        Self.require(ccurl_set_text(curl, CURLOPT_URL, url))
        Self.require(ccurl_ignore_answer(curl))
    }

    /// Returns whether it could post to an address, as far as the address itself tells.
    package static func accepts(_ url: String) -> Bool {
        guard let parts = curl_url() else { preconditionFailure("there is no memory") }
        defer { curl_url_cleanup(parts) }
        // libcurl would take other schemes, too, and a third slash.
        guard url.prefixMatch(of: /https?:\/\/[^\/]/) != nil else { return false }
        return curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK
    }

    deinit {
        curl_easy_cleanup(curl)
    }

    /// Posts a body and waits for the answer. Only one thread at a time may call this.
    package func post(_ body: [UInt8], headers: [(name: String, value: String)]) -> Outcome {
        var list: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(list) }
        for (name, value) in headers { list = curl_slist_append(list, "\(name): \(value)") }
        return body.withUnsafeBytes { bytes in
            Self.require(ccurl_set_headers(curl, list))
            Self.require(ccurl_set_body(curl, bytes.baseAddress, bytes.count))
            let code = curl_easy_perform(curl)
            guard code == CURLE_OK else { return .failed(String(cString: curl_easy_strerror(code))) }
            return .answered(status: ccurl_status(curl))
        }
    }

    /// Initialises libcurl once for the process.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    private static func require(_ code: CURLcode) {
        precondition(code == CURLE_OK, "libcurl does not take an option: \(String(cString: curl_easy_strerror(code)))")
    }
}

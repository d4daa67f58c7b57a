internal import CCurl

/// Posts to one address over HTTP, one request at a time, and keeps the connection for the next.
///
/// It verifies certificates, follows no redirects, ignores the bodies of answers, and gives up when the request's time
/// is over.
package final class HTTPPoster: @unchecked Sendable {
    // @unchecked: `curl` is used by one thread at a time, its owner's; see ``post(_:headers:)``.
    private let curl = CurlHandle()
    private let url: String
    private let seconds: Int

    /// The outcome of a request.
    package enum Outcome: Equatable, Sendable {
        case answered(status: Int)
        /// There was no answer. The text says why, for a person to read.
        case failed(String)
    }

    /// - Parameter seconds: the time for a whole request.
    package init(url: String, seconds: Int) {
        (self.url, self.seconds) = (url, seconds)
    }

    /// Returns whether it could post to an address, as far as the address itself tells.
    package static func accepts(_ url: String) -> Bool {
        guard let parts = curl_url() else { preconditionFailure("there is no memory") }
        defer { curl_url_cleanup(parts) }
        // libcurl would take other schemes, too, and a third slash.
        guard url.prefixMatch(of: /https?:\/\/[^\/]/) != nil else { return false }
        return curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK
    }

    /// Posts a body and waits for the answer. Only one thread at a time may call this.
    package func post(_ body: [UInt8], headers: [(name: String, value: String)]) -> Outcome {
        curl.begin(url, [(CURLOPT_POST, 1), (CURLOPT_TIMEOUT, seconds)])
        CurlHandle.require(ccurl_ignore_answer(curl.pointer))
        return body.withUnsafeBytes { bytes in
            CurlHandle.require(ccurl_set_body(curl.pointer, bytes.baseAddress, bytes.count))
            let code = curl.perform(headers)
            guard code == CURLE_OK else { return .failed(code.text) }
            return .answered(status: ccurl_status(curl.pointer))
        }
    }
}

internal import CCurl

/// A handle of libcurl. One thread at a time may use it.
struct CurlHandle: ~Copyable {
    let pointer: UnsafeMutableRawPointer

    init() {
        guard Self.isReady, let pointer = curl_easy_init() else { preconditionFailure("libcurl cannot start") }
        self.pointer = pointer
    }

    deinit {
        curl_easy_cleanup(pointer)
    }

    /// Forgets all options but keeps the connection, and begins with those that hold for every request: it verifies
    /// certificates and follows no redirects.
    func begin(_ url: String, _ options: [(CURLoption, Int)]) {
        curl_easy_reset(pointer)
        let common: [(CURLoption, Int)] = [
            (CURLOPT_NOSIGNAL, 1), (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_SSL_VERIFYPEER, 1),
            (CURLOPT_SSL_VERIFYHOST, 2),
            (CURLOPT_PROTOCOLS, Int(CURLPROTO_HTTP | CURLPROTO_HTTPS)),
            (CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
        ]
        for (option, value) in common + options { Self.require(ccurl_set_number(pointer, option, value)) }
        Self.require(ccurl_set_text(pointer, CURLOPT_URL, url))
    }

    /// Sends the request with these headers, and waits for the answer.
    func perform(_ headers: [(name: String, value: String)]) -> CURLcode {
        var list: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(list) }
        for (name, value) in headers { list = curl_slist_append(list, "\(name): \(value)") }
        Self.require(ccurl_set_headers(pointer, list))
        return curl_easy_perform(pointer)
    }

    /// Initialises libcurl once for the process.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    static func require(_ code: CURLcode) {
        precondition(code == CURLE_OK, "libcurl does not take an option: \(code.text)")
    }
}

extension CURLcode {
    /// The error for a person to read.
    var text: String { String(cString: curl_easy_strerror(self)) }
}

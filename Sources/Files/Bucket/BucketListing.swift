import ChatWire

/// One page of the objects in a bucket.
///
/// - Source: Amazon S3 API Reference, `ListObjectsV2`.
struct BucketListing: Equatable {
    struct Object: Equatable {
        let key: String
        let size: Int
        let changed: Milliseconds
    }

    let objects: [Object]
    /// The name of the next page; `nil` for the last one.
    let next: String?

    /// `nil` for an answer that is not a page.
    init?(_ document: [UInt8]) {
        guard let root = XMLElement(document: document), root.name == "ListBucketResult",
            let isTruncated = root["IsTruncated"]?.text, ["true", "false"].contains(isTruncated)
        else { return nil }
        let isEncoded = root["EncodingType"]?.text == "url"
        var objects: [Object] = []
        for element in root.children where element.name == "Contents" {
            guard let object = Object(element, isEncoded ? .url : .plain) else { return nil }
            objects.append(object)
        }
        self.objects = objects
        next = isTruncated == "true" ? root["NextContinuationToken"]?.text : nil
        if isTruncated == "true", next?.isEmpty != false { return nil }
    }
}

extension BucketListing.Object {
    fileprivate enum KeyForm { case plain, url }

    fileprivate init?(_ element: XMLElement, _ form: KeyForm) {
        guard let text = element["Key"]?.text, let size = element["Size"].flatMap({ Int($0.text) }), size >= 0,
            let changed = element["LastModified"].flatMap({ Moment.time($0.text) })
        else { return nil }
        switch form {
        case .plain: key = text
        case .url:
            guard let decoded = text.replacing("+", with: "%20").percentDecoded else { return nil }
            key = decoded
        }
        (self.size, self.changed) = (size, changed)
    }
}

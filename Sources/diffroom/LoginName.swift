import Foundation

/// Returns the name of the account that the program runs as; `nil` if it has none.
///
/// cron sets only `LOGNAME`, and a container neither. The system's list of accounts then has the name.
func loginName(_ environment: [String: String]) -> String? {
    let names = ["USER", "LOGNAME"].compactMap { environment[$0] }
    if let name = names.first(where: { !$0.isEmpty }) { return name }
    guard let account = unsafe getpwuid(getuid()), let name = unsafe account.pointee.pw_name else { return nil }
    return unsafe String(cString: name)
}

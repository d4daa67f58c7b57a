import Foundation
import TestSupport
import Testing

/// Whether this user may hide a file from one process.
private let mayHide =
    (try? ChildProcess("unshare", ["--mount", "--map-root-user", "mount", "--bind", "/dev/null", "/etc/passwd"]).wait())
    == .exit(0)

@Suite(
    .timeLimit(.minutes(Deadline.minutes)), .enabled(if: StoreOfTheRun.current == .sqlite, "about no store"),
    .enabled(if: mayHide, "needs the right to mount"))
struct PluginTests {
    private let folder = TemporaryFolder()

    @Test
    func withoutThePlugInOfLibwebsocketsItSaysWhatToInstall() async throws {
        let program = try RunningProgram(
            "/usr/bin/unshare",
            [
                "--mount", "--map-root-user", "sh", "-c",
                "for plugin in /usr/lib/*/libwebsockets-evlib_uv.so; do mount --bind /dev/null \"$plugin\" || exit 9; done;"
                    + "exec \"$0\" --listen 127.0.0.1:0 --data \"$1/rooms.db\"",
                RunningProgram.path(of: "diffroomd"), folder.path,
            ])

        let complaint = await program.complaint(containing: "diffroomd:") ?? ""

        #expect(await program.end() == .exit(1))
        #expect(complaint.contains("libwebsockets-evlib-uv"), "\(complaint)")
    }
}

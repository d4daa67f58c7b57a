import Glibc

/// What a shell does with a job: it stops, and goes on.
enum JobControl {
    /// The signals that stop a job.
    private static let stopping = [SIGTSTP, SIGTTOU, SIGTTIN]

    /// Stops the job that this process belongs to, and takes the terminal back when it goes on in the foreground.
    ///
    /// - Parameter resume: sets the terminal's modes. In the background that stops the job again.
    /// - Errors: none; a job that nobody could wake (an orphaned group, POSIX 11.1.4) is not stopped.
    /// - Source: W. R. Stevens, "Advanced Programming in the UNIX Environment", 10.21.
    static func stop(resume: () -> Void) {
        // Dispatch's threads hold these back. A signal that no other thread takes first, and that is not held back here,
        // is acted on before raise() returns; without that the program would draw on, and stop a little later.
        var (stops, before) = (sigset_t(), sigset_t())
        sigemptyset(&stops)
        for number in stopping { sigaddset(&stops, number) }
        // The others of the job, such as the shell of a script, are stopped as the terminal would stop them.
        signal(SIGTSTP, SIG_IGN)
        kill(0, SIGTSTP)
        signal(SIGTSTP, SIG_DFL)
        pthread_sigmask(SIG_UNBLOCK, &stops, &before)
        raise(SIGTSTP)
        resume()
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }
}

import Glibc

/// Stops and continues the process as a shell's job.
enum JobControl {
    /// The signals that stop a job.
    private static let stopping = [SIGTSTP, SIGTTOU, SIGTTIN]

    /// Stops the job of this process, and takes the terminal back when the job continues in the foreground.
    ///
    /// - Parameter resume: sets the terminal's modes. In the background that stops the job again.
    /// - Errors: none; a job that no shell could wake (an orphaned group, POSIX 11.1.4) is not stopped.
    /// - Source: W. R. Stevens, "Advanced Programming in the UNIX Environment", 10.21.
    static func stop(resume: () -> Void) {
        // Dispatch's threads block these signals. A signal that this thread does not block takes effect before raise()
        // returns. Otherwise the program would go on drawing, and stop a little later.
        var (stops, before) = (sigset_t(), sigset_t())
        sigemptyset(&stops)
        for number in stopping { sigaddset(&stops, number) }
        // Stop the rest of the job, such as a script's shell, as the terminal would.
        signal(SIGTSTP, SIG_IGN)
        kill(0, SIGTSTP)
        signal(SIGTSTP, SIG_DFL)
        pthread_sigmask(SIG_UNBLOCK, &stops, &before)
        raise(SIGTSTP)
        resume()
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }
}

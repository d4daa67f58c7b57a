import Foundation

/// The window around the terminal: its title, the clipboard and notifications, by sequences that xterm began.
extension Terminal {
    /// A way to notify the person.
    package enum Notifying: String, Sendable, CaseIterable {
        /// The bell alone.
        case bell
        /// OSC 9, as iTerm2, kitty, WezTerm and foot understand it.
        case osc9
        /// OSC 777, as urxvt, foot and VTE understand it.
        case osc777
        case off
    }

    /// The colours to use.
    package enum Colours: String, Sendable, CaseIterable {
        /// As many as the terminal has.
        case auto
        case many = "256"
        case eight = "8"
        case none
    }

    /// Keeps the title that the window has, to give it back.
    func beginTitle() {
        if isWindow { write("\u{1B}[22;2t") }
    }

    /// Gives the window its title back.
    func endTitle() {
        if isWindow { write("\u{1B}[23;2t") }
        title = ""
    }

    package func setTitle(_ text: String) {
        guard isWindow, text != title else { return }
        title = text
        write("\u{1B}]2;\(text.inOneLine)\u{7}")
    }

    /// Asks the terminal to put a text into the clipboard. Whether it does so depends on its settings.
    package func copy(_ text: String) {
        write("\u{1B}]52;c;\(Data(text.utf8).base64EncodedString())\u{7}")
    }

    /// Notifies the person.
    ///
    /// - Parameter text: other people's text.
    package func notify(_ text: String, by way: Notifying) {
        let text = text.inOneLine.replacing(";", with: ",")
        switch way {
        case .off: break
        case .bell: ring()
        case .osc9: write("\u{1B}]9;\(text)\u{7}")
        case .osc777: write("\u{1B}]777;notify;diffroom;\(text)\u{7}")
        }
    }
}

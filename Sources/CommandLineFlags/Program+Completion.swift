/// A shell that completes flags.
enum Shell: String, CaseIterable {
    case bash, zsh, fish
}

extension Program {
    /// A script that has the shell complete this program's flags and their values.
    func completion(for name: String) throws(FlagError) -> String {
        switch Shell(rawValue: name) {
        case .bash: return bash
        case .zsh: return zsh
        case .fish: return fish
        case nil:
            let all = Shell.allCases.map(\.rawValue).joined(separator: ", ")
            throw .badValue("completion", name, "must be one of \(all)")
        }
    }

    private var shown: [Flag] { flags.filter { !$0.has(.hidden) } }

    private var bash: String {
        let values = shown.filter { $0.value != nil }.map { flag in
            let source =
                flag.has(.file) ? "-f" : flag.choices.isEmpty ? nil : "-W '\(flag.choices.joined(separator: " "))'"
            let reply = source.map { "mapfile -t COMPREPLY < <(compgen \($0) -- \"$current\")" } ?? "COMPREPLY=()"
            return "        --\(flag.name)) \(reply); return ;;"
        }
        return """
            _\(identifier)() {
                local current=${COMP_WORDS[COMP_CWORD]}
                case ${COMP_WORDS[COMP_CWORD - 1]} in
            \(values.joined(separator: "\n"))
                esac
                mapfile -t COMPREPLY < <(compgen -W '\(shown.map { "--\($0.name)" }.joined(separator: " "))' -- "$current")
            }
            complete -F _\(identifier) \(name)
            """
    }

    private var zsh: String {
        let lines = shown.map { flag in
            let values =
                flag.has(.file) ? "_files" : flag.choices.isEmpty ? " " : "(\(flag.choices.joined(separator: " ")))"
            let value = flag.value.map { ":\($0.escaped("\\:")):\(values)" } ?? ""
            let line = "--\(flag.name)[\(flag.sentence.escaped("\\[]:"))]\(value)"
            return "    '\(flag.has(.repeatable) ? "*" : "")\(line.replacing("'", with: "'\\''"))'"
        }
        return "#compdef \(name)\n_arguments -s \\\n\(lines.joined(separator: " \\\n"))"
    }

    private var fish: String {
        shown.map { flag in
            let value =
                flag.value == nil
                ? ""
                : flag.has(.file)
                    ? " -r -F" : " -x" + (flag.choices.isEmpty ? "" : " -a '\(flag.choices.joined(separator: " "))'")
            let meaning = flag.sentence.escaped("\\'")
            return "complete -c \(name) -l \(flag.name)\(value) -d '\(meaning)'"
        }.joined(separator: "\n")
    }

    private var identifier: String {
        String(name.map { $0.isLetter ? $0 : "_" })
    }
}

extension Flag {
    /// The first sentence of what it means.
    fileprivate var sentence: String {
        let line = meaning.replacing("\n", with: " ")
        return line.firstRange(of: ". ").map { String(line[..<$0.lowerBound]) } ?? line
    }
}

extension String {
    /// With a backslash before each of `characters`.
    fileprivate func escaped(_ characters: String) -> String {
        reduce(into: "") { text, character in
            if characters.contains(character) { text += "\\" }
            text.append(character)
        }
    }
}

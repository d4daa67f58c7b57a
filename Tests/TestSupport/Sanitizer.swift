import Glibc

/// Whether `scripts/test` runs this under the thread sanitizer, where everything takes ten times as long.
package let isSanitized = getenv("TSAN_OPTIONS") != nil

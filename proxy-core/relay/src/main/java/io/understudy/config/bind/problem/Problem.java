package io.understudy.config.bind.problem;

/**
 * An error or warning about a document. Never contains a secret: values that come from a substitution, or stand where a
 * {@code @Sensitive} value belongs, are left out of message and excerpt.
 *
 * @param severity whether the document is invalid because of this
 * @param source the document's name, usually its file name
 * @param position from 1
 * @param path the key path, for instance {@code standbys[0].tls.mode}; empty for the document itself
 * @param message what was expected, what was found and what to do, in one line
 * @param excerpt the offending line with a caret below it, or empty
 */
public record Problem(
        Severity severity, String source, Position position, String path, String message, String excerpt) {

    /** An error makes the document invalid; a warning is only reported. */
    public enum Severity {
        ERROR,
        WARNING
    }

    /** Returns the problem in one line, without the excerpt. */
    public String headline() {
        StringBuilder text = new StringBuilder(source);
        if (!position.equals(Position.NONE)) {
            text.append(':').append(position);
        }
        text.append(": ");
        if (severity == Severity.WARNING) {
            text.append("warning: ");
        }
        if (!path.isEmpty()) {
            text.append(path).append(": ");
        }
        return text.append(message).toString();
    }

    /** Returns the headline, followed by the offending line with a caret. */
    @Override
    public String toString() {
        return excerpt.isEmpty() ? headline() : headline() + "\n" + excerpt;
    }
}

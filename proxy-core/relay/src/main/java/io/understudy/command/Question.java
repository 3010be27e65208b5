package io.understudy.command;

/** Whether a command asks about the statement before it, which only the server that has executed that can answer. */
public enum Question {
    /** It does not. */
    NOT_ASKED,
    /** It does, and changes nothing. */
    ASKED,
    /** It does, and changes data or the session with the answer. */
    USED,
    /** That is not known before the rest of the command has come. */
    CUT
}

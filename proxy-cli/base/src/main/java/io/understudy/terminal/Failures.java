package io.understudy.terminal;

import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** The text of an error on the terminal: its message, or its class if it has none. */
public final class Failures {
    private Failures() {}

    /** Returns what went wrong. The messages of the JDK's exceptions for files are the files' names alone. */
    public static String sentence(Throwable failure) {
        String message = failure.getMessage();
        if (failure instanceof FileSystemException file && file.getReason() == null) {
            return message + ": " + reason(file);
        }
        if (failure instanceof CharacterCodingException) {
            return "not a text in UTF-8 (" + failure.getClass().getSimpleName() + "); --verbose shows where";
        }
        if (message != null && !message.isBlank()) {
            return message;
        }
        return failure.getClass().getSimpleName() + "; --verbose shows where";
    }

    private static String reason(FileSystemException failure) {
        if (failure instanceof NoSuchFileException) {
            return "no such file or folder";
        }
        return failure instanceof AccessDeniedException
                ? "access denied"
                : failure.getClass().getSimpleName();
    }
}

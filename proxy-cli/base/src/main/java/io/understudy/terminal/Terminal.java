package io.understudy.terminal;

import java.io.Console;

/** Detects whether a person reads the output. */
public final class Terminal {
    private Terminal() {}

    /** Returns whether standard input and output are a terminal. */
    @SuppressWarnings("SystemConsoleNull") // asks isTerminal() where there is one
    public static boolean attached() {
        Console console = System.console();
        if (console == null) {
            return false;
        }
        try {
            // From Java 22 on there may be a console without a terminal.
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (NoSuchMethodException e) {
            return true;
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }
}

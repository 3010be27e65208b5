package io.understudy.demo;

import java.io.PrintWriter;
import java.util.Locale;

/** Prints the lines of a demo as they come. */
public record Output(PrintWriter out) {
    /** Prints a line; without values the text as it is. */
    public void say(String format, Object... values) {
        out.println(values.length == 0 ? format : format(format, values));
        out.flush();
    }

    /** Prints a text that has its own line ends. */
    public void print(String text) {
        out.print(text);
        out.flush();
    }

    public static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    /** Returns the verdict on a demo's claims. */
    public boolean claimed(boolean well, String otherwise) {
        say(well ? "Everything happened as claimed." : "Not everything happened as claimed" + otherwise);
        return well;
    }
}

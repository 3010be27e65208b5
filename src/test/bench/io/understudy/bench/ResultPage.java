package io.understudy.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Replaces a benchmark's result in a Markdown page: the part between the two comments with its name. */
final class ResultPage {
    private ResultPage() {}

    /**
     * @throws IOException if the page cannot be written, or has no such part
     */
    static void replace(Path page, String name, String result) throws IOException {
        String text = Files.readString(page);
        String begin = "<!-- " + name + ": begin -->\n";
        String end = "<!-- " + name + ": end -->";
        int from = text.indexOf(begin);
        int to = text.indexOf(end);
        if (from < 0 || to < from) {
            throw new IOException(page + " has no lines " + begin.trim() + " and " + end);
        }
        Files.writeString(page, text.substring(0, from + begin.length()) + result + text.substring(to));
    }
}

package io.understudy.demo;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** The configurations of {@code docs/examples}, which are part of the program. */
public final class Examples {
    private Examples() {}

    /**
     * Returns the text of an example.
     *
     * @throws IOException when the program was built without them
     */
    public static String read(String name) throws IOException {
        try (InputStream in = Examples.class.getResourceAsStream("/examples/" + name)) {
            if (in == null) {
                throw new IOException("examples/" + name + " is missing from the class path; build proxy-cli anew");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}

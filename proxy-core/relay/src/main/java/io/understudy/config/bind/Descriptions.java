package io.understudy.config.bind;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * One sentence per key of a record, from {@code <SimpleRecordName>.properties} (UTF-8) beside the record on the class
 * path. A nested record may be described in the file of its outermost class instead, each key prefixed with its simple
 * name and a dot.
 */
final class Descriptions {

    private Descriptions() {}

    /** Returns the sentence for a component, or null if there is none. */
    static @Nullable String of(Class<?> type, String component) {
        String own = file(type).getProperty(component);
        if (own != null || type.getEnclosingClass() == null) {
            return own;
        }
        Class<?> outermost = type;
        while (outermost.getEnclosingClass() != null) {
            outermost = outermost.getEnclosingClass();
        }
        return file(outermost).getProperty(type.getSimpleName() + "." + component);
    }

    private static Properties file(Class<?> type) {
        Properties properties = new Properties();
        try (var in = type.getResourceAsStream(type.getSimpleName() + ".properties")) {
            if (in != null) {
                properties.load(new InputStreamReader(in, StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the descriptions of " + type.getName(), e);
        }
        return properties;
    }
}

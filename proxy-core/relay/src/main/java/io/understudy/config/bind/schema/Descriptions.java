package io.understudy.config.bind.schema;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * One sentence per key of a record, from {@code <SimpleRecordName>.properties} (UTF-8) beside the record on the class
 * path. A nested record may be described in the file of its outermost class instead, each key prefixed with its simple
 * name and a dot.
 */
public final class Descriptions {

    private final Map<Class<?>, Properties> files = new HashMap<>();

    /** Returns the sentence for a component, or null if there is none. */
    public @Nullable String of(Class<?> type, String component) {
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

    private Properties file(Class<?> type) {
        return files.computeIfAbsent(type, Descriptions::read);
    }

    private static Properties read(Class<?> type) {
        Properties properties = new Properties();
        try (var in = type.getResourceAsStream(type.getSimpleName() + ".properties")) {
            if (in != null) {
                try (Reader reader = new InputStreamReader(in, StandardCharsets.UTF_8)) {
                    properties.load(reader);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the descriptions of " + type.getName(), e);
        }
        return properties;
    }
}

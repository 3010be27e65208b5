package io.understudy.config;

import io.understudy.config.bind.problem.Problem;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A valid configuration.
 *
 * @param config the core's part
 * @param plugins the bound section of every plugin that is to run, by id, in the file's order; a section with
 *     {@code enabled: false} was checked but is not here
 * @param sha SHA-256 of the file's text, in hex
 * @param warnings what is valid but doubtful
 * @param files every file that this configuration depends on: itself, substituted ones, certificates and keys; a change
 *     of any is a reason to reload
 * @param fromOutside the key paths of values that came from {@code ${env:…}} or {@code ${file:…}}: they are not shown
 */
public record LoadedConfig(
        UnderstudyConfig config,
        Map<String, Record> plugins,
        String sha,
        List<Problem> warnings,
        Set<Path> files,
        Set<String> fromOutside) {
    public LoadedConfig {
        plugins = Collections.unmodifiableMap(new LinkedHashMap<>(plugins));
        warnings = List.copyOf(warnings);
        files = Set.copyOf(files);
        fromOutside = Set.copyOf(fromOutside);
    }
}

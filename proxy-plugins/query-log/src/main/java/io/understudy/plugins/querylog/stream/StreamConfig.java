package io.understudy.plugins.querylog.stream;

import io.understudy.sql.Literals;
import java.util.List;

/**
 * The stream's part of the plugin's configuration.
 *
 * @param literals what it shows of the statements' values
 * @param readers most readers at the same time
 * @param queuedStatements most events that wait for one reader
 * @param queuedBytes their size at most
 * @param rules names of the rules that a reader may request
 */
public record StreamConfig(
        Literals literals, int readers, int queuedStatements, long queuedBytes, List<String> rules) {}

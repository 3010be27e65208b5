package io.understudy.cli.report;

import io.understudy.option.AdminOptions;
import io.understudy.report.ReportText;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Shows one digest of a running proxy with its text. */
@Command(
        name = "digest",
        mixinStandardHelpOptions = true,
        description = "Show a digest of a running proxy, such as one that the log names for a slow commit: its text,"
                + " who executes it, its times, and what the mirror does with it.")
public final class DigestReportCommand extends PrintedReport {
    @Mixin
    private final AdminOptions proxy = new AdminOptions();

    @Parameters(paramLabel = "DIGEST", description = "16 hexadecimal digits, as in the log.")
    private String digest = "";

    public DigestReportCommand() {
        super(ReportText.DIGEST::of);
    }

    @Override
    Map<String, Object> report(CommandLine line) throws Exception {
        String wanted = digest.toLowerCase(Locale.ROOT);
        if (!wanted.matches("[0-9a-f]{16}")) {
            throw new CommandLine.ParameterException(
                    line, "DIGEST: expected 16 hexadecimal digits, as the log has them, but found '" + digest + "'");
        }
        Map<String, Object> view = proxy.client(line).view("digests");
        if (view.get("digests") instanceof List<?> digests) {
            for (Object row : digests) {
                if (row instanceof Map<?, ?> found && wanted.equals(found.get("digest"))) {
                    return named(found);
                }
            }
        }
        throw new IOException("the proxy has no digest " + wanted + ": it was not executed since the proxy's start, or"
                + " gave its place to a newer one; raise plugins.query-log.digests (" + view.get("capacity") + ")");
    }

    private static Map<String, Object> named(Map<?, ?> row) {
        Map<String, Object> named = new LinkedHashMap<>();
        row.forEach((key, value) -> named.put(String.valueOf(key), value));
        return named;
    }
}

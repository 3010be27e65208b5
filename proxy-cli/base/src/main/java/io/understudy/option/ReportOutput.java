package io.understudy.option;

import io.understudy.base.JsonWriter;
import java.io.PrintWriter;
import java.util.Map;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** Prints a report as text, or as JSON with {@code --json}. */
public final class ReportOutput {
    @Option(names = "--json", description = "The figures as JSON.")
    private boolean json;

    public void print(CommandLine line, Map<String, Object> report, Function<Map<String, Object>, String> text) {
        PrintWriter out = line.getOut();
        if (json) {
            out.println(JsonWriter.write(report));
        } else {
            out.print(text.apply(report));
        }
        out.flush();
    }
}

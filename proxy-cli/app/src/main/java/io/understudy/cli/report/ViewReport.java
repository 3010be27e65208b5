package io.understudy.cli.report;

import io.understudy.option.AdminOptions;
import io.understudy.report.ConnectedClients;
import io.understudy.report.ReportText;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows a view of a running proxy: the report of the view's name. */
@Command(mixinStandardHelpOptions = true)
final class ViewReport extends PrintedReport {
    @Mixin
    private final AdminOptions proxy = new AdminOptions();

    private final String view;

    private ViewReport(ReportText text) {
        super(text == ReportText.SESSIONS ? view -> text.of(ConnectedClients.of(view)) : text::of);
        this.view = text.name().toLowerCase(Locale.ROOT);
    }

    /** Adds the command to {@code report}. */
    static void add(CommandLine.Model.CommandSpec report, ReportText text, String... description) {
        ViewReport command = new ViewReport(text);
        CommandLine line = new CommandLine(command);
        line.getCommandSpec().usageMessage().description(description);
        report.addSubcommand(command.view, line);
    }

    @Override
    Map<String, Object> report(CommandLine line) throws Exception {
        return proxy.client(line).view(view);
    }
}

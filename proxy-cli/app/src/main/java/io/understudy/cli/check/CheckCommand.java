package io.understudy.cli.check;

import io.understudy.config.Address;
import io.understudy.config.ConfigException;
import io.understudy.config.LoadedConfig;
import io.understudy.config.PrimaryConfig;
import io.understudy.config.ServerTlsConfig;
import io.understudy.config.StandbyConfig;
import io.understudy.config.SwitchoverConfig;
import io.understudy.config.UnderstudyConfig;
import io.understudy.connection.NetworkTransport;
import io.understudy.connection.PortReuse;
import io.understudy.connection.SectionTls;
import io.understudy.option.ConfigFile;
import io.understudy.plugin.CheckedServer.Level;
import io.understudy.switchover.SwitchoverAccount;
import io.understudy.terminal.CliCommand;
import io.understudy.terminal.Subcommand;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Reports every error of a configuration before the proxy runs. */
@Command(
        name = "check",
        mixinStandardHelpOptions = true,
        description = "Check a configuration file: every problem at once, each with line and column.")
public final class CheckCommand extends CliCommand implements Subcommand {
    @Mixin
    private final ConfigFile file = new ConfigFile();

    @Option(names = "--connect", description = "Also check servers, accounts, privileges and server settings.")
    private boolean connect;

    @Override
    protected int run(CommandLine line) {
        Path path = file.path();
        PrintWriter out = line.getOut();
        PrintWriter err = line.getErr();
        LoadedConfig loaded;
        try {
            loaded = file.load();
            SectionTls.ensureUsable(loaded, null);
        } catch (ConfigException e) {
            err.println(e.getMessage());
            return ExitCode.USAGE;
        }
        String unavailable = reusePortProblem(loaded.config());
        if (unavailable != null) {
            err.println(path + ": " + unavailable);
            return ExitCode.USAGE;
        }
        loaded.warnings().forEach(out::println);
        out.println(path + ": valid"
                + (loaded.warnings().isEmpty()
                        ? ""
                        : ", with " + loaded.warnings().size() + " warnings"));
        if (!connect) {
            return ExitCode.OK;
        }
        return connected(loaded, out) ? ExitCode.OK : ExitCode.USAGE;
    }

    private static @Nullable String reusePortProblem(UnderstudyConfig config) {
        if (!config.listen().reusePort()) {
            return null;
        }
        try {
            return PortReuse.problem(
                    NetworkTransport.resolve(config.transport()).kind());
        } catch (IllegalStateException unavailable) {
            return unavailable.getMessage();
        }
    }

    /** {@code --connect}: queries the servers and prints the findings. Returns false if one is an error. */
    private static boolean connected(LoadedConfig loaded, PrintWriter out) {
        PrimaryCheck primary = new PrimaryCheck(loaded);
        List<CheckResult> findings = new ArrayList<>(primary.run());
        findings.addAll(new TlsCheck(loaded, primary.address()).run());
        List<StandbyCheck> standbys = new ArrayList<>();
        for (StandbyConfig standby : loaded.config().standbys()) {
            StandbyCheck check =
                    new StandbyCheck(loaded, standby, primary.knownAddress(), primary.identity(), primary.facts());
            findings.addAll(check.run());
            standbys.stream().map(check::sameServerId).filter(Objects::nonNull).forEach(findings::add);
            standbys.add(check);
        }
        findings.addAll(new SwitchoverCheck(loaded, primary.address()).run());
        findings.addAll(new MovedAccountsCheck(loaded, primary.address()).run());
        findings.forEach(finding -> out.println(finding.line()));
        return findings.stream().noneMatch(finding -> finding.level() == Level.ERROR);
    }

    /** Checks the account of section {@code switchover} on the primary and on each standby. */
    static final class SwitchoverCheck {
        private static final String WHERE = "switchover";

        private final LoadedConfig loaded;
        private final Address present;
        private final List<CheckResult> findings = new ArrayList<>();

        /** @param present the primary's address */
        SwitchoverCheck(LoadedConfig loaded, Address present) {
            this.loaded = loaded;
            this.present = present;
        }

        List<CheckResult> run() {
            SwitchoverConfig account = loaded.config().switchover();
            if (account == null) {
                return findings;
            }
            PrimaryConfig primary = loaded.config().primary();
            check("the primary", present, primary.tls(), primary.connectTimeout(), account);
            for (StandbyConfig standby : loaded.config().standbys()) {
                if (!standby.address().equals(present)) {
                    check(standby.name(), standby.address(), standby.tls(), standby.connectTimeout(), account);
                }
            }
            return findings;
        }

        private void check(
                String name, Address address, ServerTlsConfig tls, Duration connectTimeout, SwitchoverConfig account) {
            try {
                SwitchoverAccount.check(
                        name,
                        address,
                        tls,
                        connectTimeout,
                        account,
                        loaded.config().plugins().containsKey("black-box"),
                        SwitchoverAccount.acknowledges(loaded.config()));
                findings.add(CheckResult.ok(WHERE, "account " + account.user() + " may do what it has to on " + name));
            } catch (SQLException e) {
                // Only a planned switch needs it.
                findings.add(CheckResult.warning(WHERE, String.valueOf(e.getMessage())));
            }
        }
    }
}

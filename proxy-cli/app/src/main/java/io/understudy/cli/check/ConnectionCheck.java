package io.understudy.cli.check;

import io.understudy.config.LoadedConfig;
import io.understudy.config.StandbyConfig;
import io.understudy.plugin.CheckedServer.Level;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** {@code check --connect}: queries the servers. */
final class ConnectionCheck {
    private ConnectionCheck() {}

    /** Prints the findings. Returns false if one is an error. */
    static boolean run(LoadedConfig loaded, PrintWriter out) {
        PrimaryCheck primary = new PrimaryCheck(loaded);
        List<CheckResult> findings = new ArrayList<>(primary.run());
        findings.addAll(new TlsCheck(loaded, primary.address()).run());
        for (StandbyConfig standby : loaded.config().standbys()) {
            findings.addAll(
                    new StandbyCheck(loaded, standby, primary.address(), primary.identity(), primary.facts()).run());
        }
        findings.addAll(new SwitchoverCheck(loaded, primary.address()).run());
        findings.addAll(new MovedAccountsCheck(loaded, primary.address()).run());
        findings.forEach(finding -> out.println(finding.line()));
        return findings.stream().noneMatch(finding -> finding.level() == Level.ERROR);
    }
}

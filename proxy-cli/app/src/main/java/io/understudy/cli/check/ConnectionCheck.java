package io.understudy.cli.check;

import io.understudy.config.LoadedConfig;
import io.understudy.config.StandbyConfig;
import io.understudy.plugin.CheckedServer.Level;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** {@code check --connect}: queries the servers. */
final class ConnectionCheck {
    private ConnectionCheck() {}

    /** Prints the findings. Returns false if one is an error. */
    static boolean run(LoadedConfig loaded, PrintWriter out) {
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
}

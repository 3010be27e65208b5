package io.understudy.cli.check;

import io.understudy.config.Address;
import io.understudy.config.LoadedConfig;
import io.understudy.config.PrimaryConfig;
import io.understudy.config.ServerTlsConfig;
import io.understudy.config.StandbyConfig;
import io.understudy.config.SwitchoverConfig;
import io.understudy.switchover.SwitchoverAccount;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Checks the account of section {@code switchover} on the primary and on each standby. */
final class SwitchoverCheck {
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

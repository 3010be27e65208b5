package io.understudy.server;

import io.understudy.config.Address;
import io.understudy.connection.NameLookup;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows a standby's name: looks it up, and notices that it stands for none of the servers that it stood for. Then
 * connections lead to a former server. Must be run by one thread at a time, which waits for the name.
 */
public final class FollowedName implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(FollowedName.class);

    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final String standby;
    private final Address address;
    private final NameLookup names;
    private final Runnable whenMoved;
    private Set<InetAddress> known = Set.of();

    /** @param whenMoved ends the connections to the former server */
    public FollowedName(String standby, Address address, NameLookup names, Runnable whenMoved) {
        this.standby = standby;
        this.address = address;
        this.names = names;
        this.whenMoved = whenMoved;
    }

    @Override
    public void run() {
        if (address.isUnix()) {
            return;
        }
        try {
            Set<InetAddress> now = new HashSet<>(names.lookup(address.host(), PATIENCE));
            boolean moved = !known.isEmpty() && Collections.disjoint(known, now);
            known = now;
            if (moved) {
                log.info("standby {} ({}) is another server now: its name has moved", standby, address);
                whenMoved.run();
            }
        } catch (IOException e) {
            // The probe that follows fails for the same reason, and reports it.
            log.debug("standby {}: {}", standby, e.getMessage());
        }
    }
}

package io.understudy.unplanned;

import io.understudy.lost.LostSource;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How a failover is done.
 *
 * @param fenced an old primary that gives signs of life is made read-only if possible, instead of ending the failover
 * @param timeout longest time for the standby to apply what it has received, and for each part of what it lacks
 * @param without proxies that are down, by the address of their admin endpoint, whose black boxes are not read; and
 *     other standbys by their names, which may have more
 * @param directory the log that the configuration's proxy has left, which may then be down; null to ask the proxy
 */
public record FailoverOptions(
        boolean fenced,
        Duration timeout,
        Set<String> without,
        @Nullable LostSource directory) {}

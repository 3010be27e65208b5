package io.understudy.switchover;

import java.time.Duration;

/**
 * The time limits of a switchover.
 *
 * @param lag the standby must have applied the primary's present position within this time
 * @param hold sessions are held for at most this long
 */
public record SwitchoverLimits(Duration lag, Duration hold) {}

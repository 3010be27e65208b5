package io.understudy.unplanned;

import io.understudy.lost.LostSource;

/**
 * A black box that may have what the standby lacks.
 *
 * @param name the proxy's, or the directory that its proxy has left
 */
record AskedBlackBox(String name, LostSource source) {}

package io.understudy.readiness;

/**
 * The room on a file system.
 *
 * @param path where it is mounted
 * @param free bytes that are left to the server
 * @param total bytes
 */
record FreeDisk(String path, long free, long total) {
    boolean holds(String folder) {
        return folder.startsWith(path.endsWith("/") ? path : path + "/");
    }

    /** Returns the share that is free, 0 to 1. */
    double share() {
        return total == 0 ? 1 : (double) free / total;
    }
}

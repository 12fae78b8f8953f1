#include "receipts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct receipt *receipt_new(const char *buyer, long cents)
{
    struct receipt *receipt = malloc(sizeof *receipt);

    if (receipt == NULL)
        return NULL;
    receipt->buyer = strdup(buyer);
    if (receipt->buyer == NULL) {
        free(receipt);
        return NULL;
    }
    receipt->cents = cents;
    return receipt;
}

void receipt_free(struct receipt *receipt)
{
    if (receipt == NULL)
        return;
    free(receipt->buyer);
    free(receipt);
}

/* The number of receipts in a file, one a line; -1 where it cannot be read. */
int receipts_count(const char *path)
{
    char line[256];
    int count = 0;
    FILE *file = fopen(path, "r");

    if (file == NULL)
        return -1;
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] == '\0')
            return -1;
        count++;
    }
    fclose(file);
    return count;
}

/* "shop, month": the caller frees it. */
char *receipts_title(const char *shop, const char *month)
{
    size_t size = strlen(shop) + strlen(month) + 3;
    char *title = malloc(size);

    if (title == NULL)
        return NULL;
    if (snprintf(title, size, "%s, %s", shop, month) < 0)
        return NULL;
    return title;
}
